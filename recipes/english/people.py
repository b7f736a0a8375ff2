"""Names of women and men, from many cultures.

Most come from the lists in the package Faker (MIT licence). For some large languages, it has no lists in Latin script;
a few common names of those are listed here.
"""

import importlib
import random
import re
from typing import NamedTuple

from recipes.english.gendered_words import FEMININE, MASCULINE

_FAKER_LOCALES = """
en_US en_GB en_IE en_IN en_KE yo_NG ig_NG ha_NG tw_GH sw tr_TR az_AZ cs_CZ hr_HR pl_PL ro_RO sl_SI hu_HU fi_FI sv_SE
da_DK no_NO de_DE nl_NL fr_FR fr_DZ es_ES es_MX it_IT pt_BR pt_PT id_ID ja_JP lv_LV et_EE uz_UZ
"""

# Women, men, last names.
_OWN = {
    "am": (
        "Almaz Tigist Selam Hiwot Meron Bethlehem Aster Genet Rahel Mulu",
        "Abebe Tesfaye Haile Dawit Girma Yonas Bekele Kebede Tadesse Solomon",
        "Tessema Wolde Alemu Gebre Desta Mekonnen Assefa Demissie",
    ),
    "ar": (
        "Fatima Aisha Layla Noor Mariam Zahra Huda Salma Rania Yasmin Samira Amal Dalia Leila Nadia Hanan",
        "Ahmed Mohammed Omar Youssef Hassan Ali Khalid Tariq Ibrahim Karim Mustafa Samir Faisal Bilal Hamza Walid",
        "Haddad Khoury Mansour Nasser Saleh Aziz Farouk Hamdan Qasim Rahman Sayegh Zaki Shaheen Darwish",
    ),
    "fa": (
        "Shirin Parisa Nasrin Maryam Mahsa Roya Azadeh Golnaz Niloufar Setareh Ziba",
        "Reza Farhad Dariush Kourosh Babak Siavash Arash Bahram Hossein Mehdi Kaveh Omid",
        "Ahmadi Hosseini Karimi Rahimi Jafari Tehrani Shirazi Farahani Moradi Sadeghi",
    ),
    "ka": (
        "Nino Tamar Ketevan Eka Nana Lela Maka Natia Salome Tinatin",
        "Giorgi Levan Davit Irakli Zurab Vakhtang Tornike Nika Otar Gela",
        "Beridze Kapanadze Gelashvili Maisuradze Lomidze Giorgadze Japaridze Kvaratskhelia",
    ),
    "ko": (
        "Minji Jiwoo Seoyeon Hana Eunji Soojin Hyejin Yuna Boram Nari Sunhee Youngmi",
        "Minho Jihoon Sungmin Jaehyun Dongwook Kyungsoo Taeyang Seojun Woojin Hyunwoo Sangwoo Youngho",
        "Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Shin",
    ),
    "mi": (
        "Aroha Ngaio Mere Hine Anahera Kiri Leilani Moana Sina Tala",
        "Tane Wiremu Rangi Hemi Manu Sione Tevita Kahu Tama Nikau",
        "Tawhiri Ngata Parata Heke Pomare Tuala Fonoti Vaea",
    ),
    "uk": (
        "Olga Natalia Irina Svetlana Tatiana Ekaterina Yulia Marina Galina Ludmila Anastasia Oksana",
        "Ivan Dmitri Sergei Alexei Nikolai Vladimir Mikhail Andrei Boris Pavel Oleg Yuri",
        "Petrenko Kovalenko Shevchenko Morozenko Bondarenko Tkachenko Lysenko Sidorenko",
    ),
    "vi": (
        "Linh Huong Lan Mai Thuy Hoa Trang Ngoc Phuong Thao Hanh Yen",
        "Minh Tuan Hung Dung Nam Long Quang Duc Thanh Khoa Hieu Phuc",
        "Nguyen Tran Le Pham Hoang Phan Vu Dang Bui Do Ngo Duong",
    ),
    "zh": (
        "Mei Lan Xiu Hong Yan Fang Jing Ying Xia Juan Ling Qian Hui Na Yun",
        "Wei Jian Gang Jun Bo Qiang Lei Tao Hao Feng Peng Guang Dong Bin Zhiyuan",
        "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo",
    ),
}

# The most commonly typed names, which are drawn more often than the rest of the English lists.
_COMMON = {
    FEMININE: """
Mary Anna Sarah Emma Susan Linda Julia Kate Laura Alice Jane Lucy Helen Rachel Maria Nancy Karen Lisa Sandra Emily
Olivia Sophia Grace Ruth Jennifer Jessica Amy Michelle Elizabeth Barbara Carol Diana Claire Hannah Rebecca Catherine
Margaret Eva Nora Ella
""",
    MASCULINE: """
Tom John Peter David James Robert Michael William Richard Paul Mark George Steven Kevin Brian Edward Daniel Matthew
Andrew Jack Henry Frank Martin Simon Ben Adam Luke Oscar Arthur Charles Thomas Joseph Christopher Anthony Philip Patrick
Eric Jacob Noah Oliver
""",
}

_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][a-zß-öø-ÿā-ž]+(-[A-Z][a-z]+)?")
_ENGLISH = {"en_US": 6, "en_GB": 3}  # the weights relative to other cultures
_COMMON_SHARE = 0.6


class Culture(NamedTuple):
    """The names of one language or country."""

    code: str
    first: dict[str, list[str]]  # first names by gender; none is used for both genders in any culture
    last: list[str]


class People:
    """Draws names of people.

    Example:
        people = People()
        culture = people.draw_culture(rng)
        people.draw_first(rng, culture, FEMININE), people.draw_last(rng, culture)
    """

    def __init__(self) -> None:
        cultures = [_faker_culture(locale) for locale in _FAKER_LOCALES.split()]
        for code, (women, men, last) in _OWN.items():
            cultures.append(Culture(code, {FEMININE: women.split(), MASCULINE: men.split()}, last.split()))
        self.common = {gender: names.split() for gender, names in _COMMON.items()}
        known = {
            gender: {*self.common[gender], *(name for culture in cultures for name in culture.first[gender])}
            for gender in (FEMININE, MASCULINE)
        }
        both = known[FEMININE] & known[MASCULINE]
        self.common = {gender: _without(names, both) for gender, names in self.common.items()}
        self.cultures = [
            culture._replace(first={gender: _without(names, both) for gender, names in culture.first.items()})
            for culture in cultures
        ]
        self._weights = [_ENGLISH.get(culture.code, 1) for culture in self.cultures]

    def draw_culture(self, rng: random.Random) -> Culture:
        """Draws a culture; English ones more often than others."""
        return rng.choices(self.cultures, self._weights)[0]

    def draw_first(self, rng: random.Random, culture: Culture, gender: str) -> str:
        """Draws a first name that reveals the gender."""
        is_common = culture.code in _ENGLISH and rng.random() < _COMMON_SHARE
        return rng.choice(self.common[gender] if is_common else culture.first[gender])

    def draw_last(self, rng: random.Random, culture: Culture) -> str:
        """Draws a last name."""
        return rng.choice(culture.last)


def _faker_culture(locale: str) -> Culture:
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider

    def read(*lists: str) -> list[str]:
        return [name for key in lists for name in getattr(provider, key, ()) if _NAME.fullmatch(name)]

    first = {
        FEMININE: read("first_names_female", "first_romanized_names_female"),
        MASCULINE: read("first_names_male", "first_romanized_names_male"),
    }
    return Culture(locale, first, read("last_names", "last_romanized_names"))


def _without(names: list[str], excluded: set[str]) -> list[str]:
    return [name for name in names if name not in excluded]
